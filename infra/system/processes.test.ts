import { execFileSync } from 'node:child_process'
import { processorMs } from './processes.ts'

const USED_MS = 200
const BUSY = `while (process.cpuUsage().user < ${USED_MS * 1000});`

// Linux tells it in ticks of 10 ms.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the processor time of a process includes that of its ended children', () => {
  const before = processorMs([process.pid])
  execFileSync(process.execPath, ['-e', BUSY])
  expect(processorMs([process.pid]) - before).toBeGreaterThanOrEqual(USED_MS - 10)
  expect(processorMs([])).toBe(0)
})
