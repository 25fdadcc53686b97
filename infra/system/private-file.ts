import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file with mode 0600 atomically: a reader never sees half of it. */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, `${text}\n`, { mode: 0o600 })
  chmodSync(part, 0o600)
  renameSync(part, file)
}
