import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Bench } from './stack.ts'

const SCRIPT = `${import.meta.dirname}/../webhooks/main.ts`
const KEYS = ['dispatch_ratio', 'dispatch_record_ratio', 'hang_throughput_ratio', 'hang_p99_ratio', 'lost', 'duplicates']

/** The short form of `bench:webhooks`, on the same database and broker; resolves with these keys of its last line. */
export async function benchDispatch({ stack }: Bench): Promise<Record<string, unknown>> {
  const env = { ...process.env, MONGO_URL: stack.mongo_url, AMQP_URL: stack.amqp_url }
  const child = spawn(process.execPath, [SCRIPT, '--quick'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let last = '{}'
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) last = line
    else console.log(line)
  }
  await ended
  // That program prints one object on its last line.
  const figures = JSON.parse(last) as Record<string, unknown>
  return Object.fromEntries(Object.entries(figures).filter(([key]) => KEYS.includes(key)))
}
