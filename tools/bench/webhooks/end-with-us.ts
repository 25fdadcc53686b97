import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

/** Whoever fails on the way must not leave a process behind. */
export function endWithUs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}
