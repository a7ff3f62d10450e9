// SPDX-License-Identifier: Apache-2.0

#include "CPeers.h"

#if __has_include(<spdlog/spdlog.h>)

// Built from its headers, so that nothing is linked that may not be there; Debian's spdlog has no
// fmt of its own.
#define SPDLOG_FMT_EXTERNAL
#define FMT_HEADER_ONLY

#include <cerrno>
#include <chrono>
#include <memory>
#include <spdlog/async.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

// spdlog's own default.
constexpr std::size_t queue_record_count = 8192;

const std::string path = "/api/v1/users/42/orders";
std::shared_ptr<spdlog::logger> shared_logger;
std::shared_ptr<spdlog::details::thread_pool> pool;

double milliseconds(int64_t index) {
    return static_cast<double>(index & 1023) * 0.125;
}

/// Makes one write(2) of each record. spdlog's own sinks write to stdio(3), which holds records back.
class stream_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    explicit stream_sink(int descriptor) : descriptor_(descriptor) {}

protected:
    void sink_it_(const spdlog::details::log_msg &record) override {
        spdlog::memory_buf_t line;
        formatter_->format(record, line);
        if (::write(descriptor_, line.data(), line.size()) < 0) {
            throw spdlog::spdlog_ex("write(2)", errno);
        }
    }
    void flush_() override {}

private:
    int descriptor_;
};

void start_async(spdlog::sink_ptr sink) {
    pool = std::make_shared<spdlog::details::thread_pool>(queue_record_count, 1);
    shared_logger = std::make_shared<spdlog::async_logger>("bench", std::move(sink), pool,
                                                           spdlog::async_overflow_policy::block);
}

}  // namespace

extern "C" const char *cpeers_spdlog_version(void) {
    return TEXT_OF(SPDLOG_VER_MAJOR) "." TEXT_OF(SPDLOG_VER_MINOR) "." TEXT_OF(SPDLOG_VER_PATCH);
}

extern "C" void cpeers_spdlog_start(const char *file, bool is_async, bool holds_back) {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    if (is_async) {
        start_async(sink);
    } else {
        shared_logger = std::make_shared<spdlog::logger>("bench", sink);
        shared_logger->flush_on(spdlog::level::trace);
    }
    shared_logger->set_level(holds_back ? spdlog::level::err : spdlog::level::info);
}

extern "C" void cpeers_spdlog_start_stream(int32_t descriptor) {
    start_async(std::make_shared<stream_sink>(descriptor));
    shared_logger->set_level(spdlog::level::info);
}

extern "C" void cpeers_spdlog_call(cpeers_case kind, int64_t first, int64_t count) {
    spdlog::logger &log = *shared_logger;
    switch (kind) {
        case CPEERS_TEXT:
        case CPEERS_FILTERED:
            for (int64_t index = first; index < first + count; index++) {
                log.info("server started");
            }
            break;
        case CPEERS_VALUES:
            for (int64_t index = first; index < first + count; index++) {
                log.info("request {} took {} ms for {}", index, milliseconds(index), path);
            }
            break;
        case CPEERS_FIELDS:
            break;
    }
}

extern "C" void cpeers_spdlog_drain(void) {
    while (pool && pool->queue_size() > 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

extern "C" void cpeers_spdlog_finish(void) {
    // The end of the pool works off its queue, and the end of the sink closes its file.
    pool.reset();
    shared_logger.reset();
}

extern "C" uint64_t cpeers_spdlog_lost(void) {
    return pool ? pool->overrun_counter() : 0;
}

#else

extern "C" const char *cpeers_spdlog_version(void) {
    return nullptr;
}
extern "C" void cpeers_spdlog_start(const char *, bool, bool) {}
extern "C" void cpeers_spdlog_start_stream(int32_t) {}
extern "C" void cpeers_spdlog_call(cpeers_case, int64_t, int64_t) {}
extern "C" void cpeers_spdlog_drain(void) {}
extern "C" void cpeers_spdlog_finish(void) {}
extern "C" uint64_t cpeers_spdlog_lost(void) {
    return 0;
}

#endif
