import { relative } from 'node:path'
import type { AggregatedResult, TestContext } from '@jest/test-result'

const SHOWN = 10

/**
 * Jest reporter: where the time of a run went, by project and by file.
 * @public Jest loads it by its path (jest.config.js).
 */
export default class SlowestFiles {
  onRunComplete(_contexts: ReadonlySet<TestContext>, { testResults }: AggregatedResult): void {
    const files = testResults.map(({ testFilePath, displayName, perfStats }) => ({
      path: relative(process.cwd(), testFilePath),
      project: displayName?.name ?? '',
      seconds: (perfStats.end - perfStats.start) / 1000,
    }))
    const projects = Map.groupBy(files, ({ project }) => project)
    const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN)
    const lines = [
      'Seconds of test files, by project (four run at once):',
      ...[...projects].map(([project, own]) => line(sumOf(own), `${project}, ${own.length} files`)),
      `The slowest ${slowest.length}:`,
      ...slowest.map(({ seconds, path }) => line(seconds, path)),
    ]
    process.stderr.write(`\n${lines.join('\n')}\n`)
  }
}

const sumOf = (files: readonly { readonly seconds: number }[]): number => files.reduce((sum, { seconds }) => sum + seconds, 0)

const line = (seconds: number, what: string): string => `${seconds.toFixed(1).padStart(8)}  ${what}`
