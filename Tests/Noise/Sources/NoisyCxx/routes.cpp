// SPDX-License-Identifier: Apache-2.0

#include "NoisyCxxRoutes.h"

#include <cstdio>
#include <iostream>

namespace noisy {

struct Route {
    const char *name;
    bool (*print)(const char *text);
};

bool by_cout(const char *text) {
    std::cout << text << std::endl;
    return std::cout.good();
}

bool by_cout_put(const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        std::cout.put(*at);
    }
    std::cout.put('\n').flush();
    return std::cout.good();
}

bool by_cerr(const char *text) {
    std::cerr << text << '\n';
    return std::cerr.good();
}

bool by_clog(const char *text) {
    std::clog << text << std::endl;
    return std::clog.good();
}

bool by_printf(const char *text) {
    return std::printf("%s%c", text, '\n') > 0;
}

bool by_cout_unsynced(const char *text) {
    std::ios::sync_with_stdio(false);
    std::cout << text << std::endl;
    return std::cout.good();
}

bool by_wcout(const char *text) {
    std::wcout << text << std::endl;
    return std::wcout.good();
}

const Route routes[] = {
    {"cout", by_cout},
    {"cout put", by_cout_put},
    {"cerr stderr", by_cerr},
    {"clog stderr", by_clog},
    {"C++ printf", by_printf},
    {"cout unsynced", by_cout_unsynced},
    {"wcout", by_wcout},
};

} // namespace noisy

const char *noisycxx_route_at(size_t index) {
    return index < sizeof noisy::routes / sizeof noisy::routes[0] ? noisy::routes[index].name
                                                                  : nullptr;
}

bool noisycxx_print_by(size_t index, const char *text) {
    return noisy::routes[index].print(text);
}
