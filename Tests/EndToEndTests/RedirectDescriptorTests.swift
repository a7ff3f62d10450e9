// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What programs and their children do to descriptors while they are redirected.
struct RedirectDescriptorTests {
    private static let starts = ["start=mixed", "start=stdout,stderr,mixed"]

    @Test(arguments: starts)
    func `the child of a fork prints where its parent did, and nothing of its parent's`(
        start: String
    ) throws {
        let run = try PrintRun([
            start, "print=before", "fork=of the child", "print=after", "account",
        ])
        #expect(run.account.contains("child 0"))
        #expect(run.output == ["of the child"])
        #expect(run.messages.first == "before" && run.messages.last == "after")
        #expect(run.messages.dropFirst().dropLast().joined() == "parent ends")
        // The beginning of a line waits for a tenth of a second, and a child may take longer.
        #expect(run.messages.count == 3 || run.records.contains { $0.lineBreak == "timeout" })
        #expect(run.errors.isEmpty)
        run.expectSound()
    }

    @Test
    func `the account reads as a line for the lines, and one for each origin`() throws {
        let run = try PrintRun([
            "start=stdout,mixed", "print=one", "print=two PASS", "print=three DROP", "told",
        ])
        let words = "redirect running, hooks N, captured descriptors: stdout"
        let told = run.account.drop { !$0.hasPrefix("redirect") }
        #expect(told.first?.replacing(#/hooks \d+/#, with: "hooks N") == words)
        let lines = "lines: taken 3, logged 1, collapsed 0, blank 0, passed 1, dropped 1, lost 0"
        #expect(told.dropFirst().first == lines)
    }

    @Test(arguments: ["log", "stdout,stderr"])
    func `the child of a fork may start a redirect of its own`(words: String) throws {
        let run = try PrintRun([
            "start=\(words)", "print=before", "drain", "fork-start=\(words)", "print=after",
            "account",
        ])
        #expect(run.account.contains("child 0"))
        let all = ["before", "of the child", "after"]
        #expect(run.messages == all || run.mayHaveGivenUp)
        #expect((run.messages + run.output).sorted() == all.sorted())
        run.expectSound()
    }

    @Test(arguments: starts)
    func `a grandchild prints on when the redirect is gone`(start: String) throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/go"
        let run = try PrintRun([
            start, "grandchild=\(file)", "await=\(file).started", "account", "stop",
            "touch=\(file)",
            "await=\(file).done",
            // Of which the thread that hands on what it prints knows nothing.
            "pause",
        ])
        let isCaptured = start != "start=mixed"
        #expect(run.messages == (isCaptured ? ["grandchild starts"] : []))
        #expect(run.output == (isCaptured ? [] : ["grandchild starts"]) + ["grandchild ends"])
        #expect(FileManager.default.fileExists(atPath: "\(file).done"))
    }

    @Test(arguments: starts)
    func `stdout that the application opens anew`(start: String) throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/new"
        let run = try PrintRun([
            start, "print=before", "descriptor=freopen:\(file)", "drain", "print=logged",
            "print=PASS",
            "drain", "route=system", "account", "stop", "print=last",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["before", "logged"])
        // What passes and what children print goes where the application leads it.
        let lines = try folder.lines(of: "new")
        #expect(Set(lines) == ["PASS", "<system>", "last"], "\(lines) \(run.output)")
        #expect(run.output.isEmpty)
        run.expectSound()
    }

    @Test(arguments: starts)
    func `a descriptor that the application leads elsewhere`(start: String) throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/new"
        let run = try PrintRun([
            start, "print=before", "drain", "descriptor=dup2:\(file)", "drain", "print=logged",
            "print=PASS",
            "drain", "route=system", "account", "stop", "print=last",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["before", "logged"])
        let lines = try folder.lines(of: "new")
        #expect(Set(lines) == ["PASS", "<system>", "last"], "\(lines) \(run.output)")
        run.expectSound()
    }

    @Test(arguments: starts, ["setvbuf", "unbuffered"])
    func `a buffer that the application sets`(start: String, how: String) throws {
        let run = try PrintRun([
            start, "print=before", "descriptor=\(how)", "print=after", "print=PASS",
            // Where the code is inlined, what passes may come in the middle of it.
            "route=putchar", "drain", "route=putchar_unlocked inlined", "account",
        ])
        #expect(run.account.contains("buffered 0"))
        let isCaptured = start != "start=mixed"
        let inlined = "<putchar_unlocked inlined>"
        #expect(
            run.messages.sorted()
                == (["before", "after", "<putchar>"] + (isCaptured ? [inlined] : [])).sorted()
        )
        #expect(run.output.sorted() == (["PASS"] + (isCaptured ? [] : [inlined])).sorted())
        run.expectSound()
    }

    @Test func `no descriptor of ours takes the number of a standard one`() throws {
        let run = try PrintRun([
            "descriptor=few", "start=stdout", "descriptor=standard", "print=logged", "drain",
            "descriptor=standard", "stop", "descriptor=standard",
        ])
        #expect(
            run.account.filter { $0.hasPrefix("open ") } == Array(repeating: "open [1]", count: 3)
        )
        #expect(run.messages == ["logged"])
    }

    @Test func `stdio writes blocks again after a stop, as it did before`() throws {
        let run = try PrintRun([
            "descriptor=lines", "start=stdout", "descriptor=lines", "print=logged", "drain",
            "stop", "descriptor=lines", "lines=1000",
        ])
        #expect(
            run.account.filter { $0.hasPrefix("lines ") } == [
                "lines false", "lines true", "lines false",
            ]
        )
        #expect(run.messages == ["logged"])
        #expect(run.output == (0..<1_000).map { "line \($0)" })
    }

    @Test(arguments: starts)
    func `the child of a fork without handlers prints`(start: String) throws {
        let run = try PrintRun([
            start, "print=before", "drain", "bare-fork=of the child", "account",
        ])
        #expect(run.account.contains("child 0"))
        // Where a descriptor is captured, it is what leads there that prints.
        #expect(
            run.output + run.messages
                == (start == "start=mixed"
                    ? ["of the child", "before"] : ["before", "of the child"])
        )
        run.expectSound()
    }

    @Test(arguments: starts, ["fclose", "close"])
    func `stdout that the application closes`(start: String, how: String) throws {
        let run = try PrintRun([
            start, "print=before", "descriptor=\(how)", "route=puts", "route=cerr stderr",
            "account",
            "stop", "print=last",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.account.contains("closed 0"))
        #expect(run.messages.contains("before"))
        #expect(run.messages.contains("<cerr stderr>"))
        #expect(run.account.contains("running true"))
    }

    /// Expects no more descriptors and threads after 20 cycles than after the first one, in which a
    /// thread may just be ending.
    private func expectNoneLeft(after cycle: [String], messageCount: Int) throws {
        let many = Array(repeating: cycle, count: 20).flatMap { $0 }
        let run = try PrintRun(
            cycle + ["pause", "descriptor=count"] + many + ["pause", "descriptor=count"]
        )
        for word in ["descriptors", "threads"] {
            let counts = run.account.filter { $0.hasPrefix("\(word) ") }
                .compactMap { Int($0.dropFirst(word.count + 1)) }
            try #require(counts.count == 2)
            #expect(counts[0] > 0 && counts[1] <= counts[0], "\(word): \(counts)")
        }
        #expect(run.messages.count == messageCount)
    }

    @Test func `starts and stops leave no descriptor and no thread behind`() throws {
        let cycle = ["start=stdout,stderr", "print=logged", "route=system", "drain", "stop"]
        try expectNoneLeft(after: cycle, messageCount: 2 * 21)
    }

    @Test func `nor where the application has led the descriptor elsewhere`() throws {
        let cycle = ["start=stdout", "descriptor=dup2:/dev/null", "print=logged", "drain", "stop"]
        try expectNoneLeft(after: cycle, messageCount: 21)
    }

    @Test func `a file of the program's is not written over that has the number of a copy`() throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libcloses.so"
        // As a program that closes all descriptors that it does not know, and opens files then.
        try SharedObject.compile(
            """
            #include <fcntl.h>
            #include <sys/stat.h>
            #include <unistd.h>
            static int numbers[16], count, calls;
            static void take(int number) {
                struct stat own, other;
                if (fstat(1, &own) != 0 || fstat(number, &other) != 0) return;
                if (own.st_dev != other.st_dev || own.st_ino != other.st_ino) return;
                int file = open("\(folder.path)/file", O_WRONLY | O_CREAT | O_APPEND, 0600);
                dup2(file, number);
                close(file);
                numbers[count++] = number;
            }
            void noise(void) {
                calls++;
                for (int number = 3; calls == 1 && number < 200; number++) take(number);
                for (int index = 0; calls == 4 && index < count; index++) {
                    write(numbers[index], "data\\n", 5);
                }
            }
            """,
            to: path,
            ["-Wl,-z,nodelete", "-Wno-everything"]
        )
        let cycle = ["start=stdout", "print=logged", "drain", "stop"]
        let run = try PrintRun(cycle + ["load=\(path)"] + cycle + ["load=\(path)"])
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["logged", "logged"])
        #expect(run.output == [])
        #expect(try folder.lines(of: "file") == ["data"])
    }

    @Test(arguments: ["start=text,pass", "start=stdout,text,pass"])
    func `a stream that the program has in place of stdout for a while is its own`(
        start: String
    ) throws {
        let folder = try TemporaryFolder()
        let paths = ["set", "reset"].map { "\(folder.path)/lib\($0).so" }
        // What it has set it keeps in the environment, as an object is loaded and unloaded three times.
        let source = """
            #include <stdio.h>
            #include <stdlib.h>
            extern FILE _IO_2_1_stdout_;
            void set(void) {
                if (getenv("IS_SET") == NULL) stdout = fopen("/dev/null", "w");
                setenv("IS_SET", "1", 1);
            }
            void reset(void) {
                if (stdout == &_IO_2_1_stdout_) return;
                fclose(stdout);
                stdout = &_IO_2_1_stdout_;
            }

            """
        for (path, function) in zip(paths, ["set", "reset"]) {
            try SharedObject.compile(source + "void noise(void) { \(function)(); }", to: path)
        }
        let run = try PrintRun([
            "load=\(paths[0])", start, "load=\(paths[1])", "print=first", "drain", "print=second",
            "account",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.output == ["first", "second"])
        #expect(run.count("passed") == 2)
        run.expectSound()
    }

    @Test(arguments: [(["start=stdout"], ""), (["log=said"], "descriptor.stdout=info")])
    func `a descriptor is captured while a thread waits for who reads it`(
        tasks: [String],
        environment: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwaits.so"
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <stdio.h>
            #include <unistd.h>
            static void *wait(void *argument) {
                static char text[100000];
                fwrite(text, 1, sizeof text, stdout);
                return argument;
            }
            void noise(void) {
                pthread_t thread;
                alarm(600);
                pthread_create(&thread, NULL, wait, NULL);
                do usleep(1000);
                while (ftrylockfile(stdout) == 0 && (funlockfile(stdout), 1));
            }
            """,
            to: path,
            ["-fno-builtin", "-Wl,-z,nodelete"]
        )
        let run = try PrintRun(
            ["descriptor=unread", "load=\(path)"] + tasks + ["log=captured", "end=_exit"],
            environment: environment.isEmpty ? [:] : ["WINNOW_REDIRECT": environment]
        )
        #expect(run.outcome.status == 7)
        #expect(run.messages.contains("captured"))
    }

    @Test(arguments: [("start=unseen", 1), ("start=unseen,stdout", 0)])
    func `a rule for lines that nothing captures is told`(start: String, count: Int) throws {
        let run = try PrintRun([start, "lines=3"])
        let told = run.messages.filter {
            $0.contains("a rule of the redirect is for lines that come")
        }
        #expect(told.count == count)
    }
}
