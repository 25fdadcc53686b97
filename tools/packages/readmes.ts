import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { runProject, type Tarballs } from './projects.ts'

const READMES = ['packages/sdk/README.md', 'README.md']
const TYPES = ['typescript@6.0.3', '@types/node@24.19.2', 'express@5.3.0', '@types/express@5.0.6']

/** Compiles each block of TypeScript in the READMEs as a module of its own, against the packed SDK. Throws the compiler's words. */
export function checkReadmes({ sdk }: Tarballs, folder: string): string {
  const blocks = READMES.flatMap((readme) =>
    Array.from(readFileSync(join(ROOT, readme), 'utf8').matchAll(/^```ts\n(.*?)^```/gmsu), ([, code = '']) => code),
  )
  if (blocks.length === 0) throw new Error('the READMEs have no code')
  const files = Object.fromEntries(blocks.map((code, index) => [`block${index + 1}.ts`, code]))
  const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
  runProject(
    {
      name: 'readmes',
      tarballs: [sdk],
      registry: TYPES,
      manifest: { type: 'module' },
      files: { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions, files: Object.keys(files) }) },
      commands: [['npx', 'tsc']],
    },
    folder,
  )
  return `: ${blocks.length} blocks`
}
