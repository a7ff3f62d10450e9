// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Plan {
    /// Measures all that is planned; tells on stderr how far it is.
    func run(on machine: Machine) -> Report {
        var report = Report(machine: machine)
        for measure in Measure.allCases {
            run(jobs(of: measure), rounds: rounds(of: measure), into: &report)
        }
        report.bar = Bar.all(of: report)
        return report
    }

    /// Measures round by round, so that what else the machine does meets all contestants alike.
    private func run(_ jobs: [Job], rounds: Int, into report: inout Report) {
        var figures: [Job: [Figures]] = [:]
        let possible = leaveOut(jobs, in: &report)
        for round in 1...rounds {
            for job in possible {
                say("round \(round) of \(rounds): \(job.title)")
                do {
                    figures[job, default: []].append(try job.runInChild())
                } catch {
                    skip("\(job.title): \(error)", in: &report)
                }
            }
        }
        for job in possible {
            guard let rounds = figures[job] else { continue }
            let place = Machine.fileSystem(of: job.folder)
            report.results.append(Report.Result(job, place: place, rounds: rounds))
        }
    }

    /// Returns the jobs that can run here, and says why the others cannot.
    private func leaveOut(_ jobs: [Job], in report: inout Report) -> [Job] {
        var told: Set<Contestant> = []
        return jobs.filter { job in
            guard let obstacle = job.contestant.obstacle else { return true }
            if told.insert(job.contestant).inserted {
                skip("\(job.measure) of \(job.contestant.rawValue): \(obstacle)", in: &report)
            }
            return false
        }
    }

    private func skip(_ what: String, in report: inout Report) {
        say("skipped: \(what)")
        report.skipped.append(what)
    }

    private func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

extension Job {
    /// The job in words.
    fileprivate var title: String {
        "\(measure) of \(contestant.rawValue), \(call), \(threads) threads, \(folder)"
    }
}
