import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { Texts } from './objects.ts'

/** The variables that the Dockerfile sets: every container's environment starts with them. */
export function readImageEnvironment(): Texts {
  const lines = readFileSync(join(ROOT, 'infra/images/Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gmu)
  const pairs = [...lines].flatMap(([, line = '']) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/gu)])
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']))
}
