import { install } from '../hooks/install.ts'

/** Runs one seed in this process. Returns the exit code. */
export async function runOne({ trace, ...job }: { seed: number; keep?: readonly number[]; trace: boolean }): Promise<number> {
  install()
  const { work } = await import('./work.ts')
  const { violations, digest, payments, faults, virtualMs } = await work(job, trace ? (line) => console.log(line) : undefined)
  for (const fault of faults) console.log(`fault ${fault}`)
  for (const { rule, what } of violations) console.log(`VIOLATION ${rule}: ${what}`)
  console.log(
    JSON.stringify({
      seed: job.seed,
      digest,
      payments,
      violations: violations.length,
      virtual_seconds: Math.round(virtualMs / 1000),
    }),
  )
  return violations.length === 0 ? 0 : 1
}
