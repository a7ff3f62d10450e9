// SPDX-License-Identifier: Apache-2.0

// Logs through spdlog, which writes out each record as Winnow's immediate delivery does.
//
//   SpdlogCalls file PATH | stderr | systemd NAME

#include "CCalls.h"

// Built from its headers; Debian's spdlog has no fmt of its own.
#define SPDLOG_FMT_EXTERNAL
#define FMT_HEADER_ONLY

#include <cstring>
#include <memory>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/systemd_sink.h>
#include <spdlog/spdlog.h>
#include <string>

namespace {

std::shared_ptr<spdlog::logger> logger;
bool has_failed;

std::shared_ptr<spdlog::sinks::sink> make_sink(int count, char **arguments) {
    if (count > 2 && std::strcmp(arguments[1], "file") == 0) {
        return std::make_shared<spdlog::sinks::basic_file_sink_mt>(arguments[2]);
    }
    if (count > 2 && std::strcmp(arguments[1], "systemd") == 0) {
        return std::make_shared<spdlog::sinks::systemd_sink_mt>(arguments[2]);
    }
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

bool log_text(const char *text) {
    has_failed = false;
    logger->info("{}", text);
    return has_failed;
}

}  // namespace

int main(int count, char **arguments) {
    logger = std::make_shared<spdlog::logger>("faults", make_sink(count, arguments));
    logger->flush_on(spdlog::level::trace);
    // The default prints one failure a second; this counts each.
    logger->set_error_handler([](const std::string &) { has_failed = true; });
    return ccalls_run(log_text) ? 0 : 1;
}
