// SPDX-License-Identifier: Apache-2.0

#include "NoisyCxx.h"

#include <OriginProbe.h>
#include <iostream>
#include <locale>
#include <sstream>

namespace noisy {

class Speaker {
public:
    __attribute__((noinline)) const char *ask() const {
        const char *origin = origin_probe();
        __asm__ volatile("" ::: "memory");
        return origin;
    }
};

template <typename Value> __attribute__((noinline)) const char *ask(Value value) {
    const char *origin = origin_probe();
    __asm__ volatile("" : : "r"(&value) : "memory");
    return origin;
}

const char *ask_in_lambda() {
    auto lambda = []() __attribute__((noinline)) {
        const char *origin = origin_probe();
        __asm__ volatile("" ::: "memory");
        return origin;
    };
    return lambda();
}

/// The library calls what is registered when the stream changes its locale.
const char *ask_through_library() {
    std::ostringstream stream;
    stream.register_callback(
        reinterpret_cast<std::ios_base::event_callback>(
            reinterpret_cast<void *>(origin_probe_event)),
        0);
    stream.imbue(std::locale::classic());
    return origin_probe_noted();
}

} // namespace noisy

void noisycxx_print(const char *line) {
    std::cout << line << std::endl;
}

void noisycxx_complain(const char *line) {
    std::cerr << line << std::endl;
}

const char *noisycxx_origin_of_method(void) {
    return noisy::Speaker().ask();
}

const char *noisycxx_origin_of_template(void) {
    return noisy::ask(1);
}

const char *noisycxx_origin_of_lambda(void) {
    return noisy::ask_in_lambda();
}

const char *noisycxx_origin_through_library(void) {
    return noisy::ask_through_library();
}
