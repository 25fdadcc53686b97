import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Bench } from './stack.ts'

const SCRIPT = `${import.meta.dirname}/../webhooks/main.ts`
const KEYS = ['dispatch_ratio', 'dispatch_record_ratio', 'hang_throughput_ratio', 'hang_p99_ratio', 'lost', 'duplicates']

/** `bench:webhooks` in its short form, on the same database and broker; the keys of its last line. */
export async function benchDispatch({ stack }: Bench): Promise<Record<string, unknown>> {
  const env = { ...process.env, MONGO_URL: stack.mongo_url, AMQP_URL: stack.amqp_url }
  const child = spawn(process.execPath, [SCRIPT, '--quick'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let last = '{}'
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) last = line
    else console.log(line)
  }
  await exited
  // Its own last line: one object.
  const figures = JSON.parse(last) as Record<string, unknown>
  return Object.fromEntries(Object.entries(figures).filter(([key]) => KEYS.includes(key)))
}
