import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { MerchantProject } from './projects.ts'

const READMES = ['packages/sdk/README.md', 'README.md']
const TYPES = ['typescript@6.0.3', '@types/node@24.19.2', 'express@5.3.0', '@types/express@5.0.6']

/** Compiles each block of TypeScript in the READMEs as a module of its own. */
export function readmeProject(): MerchantProject {
  const texts = READMES.map((readme) => readFileSync(join(ROOT, readme), 'utf8'))
  const blocks = texts.flatMap((text) => [...text.matchAll(/^```ts\n(.*?)^```/gmsu)].map(([, code = '']) => code))
  if (blocks.length === 0) throw new Error('the READMEs have no code')
  const files = Object.fromEntries(blocks.map((code, index) => [`block${index + 1}.ts`, code]))
  const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
  const tsconfig = JSON.stringify({ compilerOptions, files: Object.keys(files) })
  return { name: 'readmes', registry: TYPES, type: 'module', files: { ...files, 'tsconfig.json': tsconfig }, test: 'tsc' }
}
