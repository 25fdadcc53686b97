import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { run } from './run.ts'

/** Packs one of our packages with `npm pack`, as it is published. The tarball's path. */
export function pack(name: 'sdk' | 'cli', folder: string): string {
  const printed = run('npm', ['pack', '--silent', '--pack-destination', folder], join(ROOT, 'packages', name))
  const file = /(\S+\.tgz)\s*$/u.exec(printed)?.[1]
  if (file === undefined) throw new Error(`npm pack named no file: ${printed}`)
  return join(folder, file)
}
