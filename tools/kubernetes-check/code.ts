/** What the repository's code says of its images: their environment, and which services have one. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { Texts } from './objects.ts'

/** The variables that the Dockerfile sets: every container's environment starts with them. */
export function readImageEnvironment(): Texts {
  const lines = readFileSync(join(ROOT, 'infra/images/Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gmu)
  const pairs = [...lines].flatMap(([, line = '']) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/gu)])
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']))
}

/** The services that have this file: `main.ts` makes an image, `build-indexes.ts` a Job. */
export function servicesWith(file: 'main.ts' | 'build-indexes.ts'): string[] {
  return globSync(`services/*/src/${file}`, { cwd: ROOT }).map((path) => path.split('/')[1] ?? '')
}
