/** `npm run kubernetes:check [-- <overlay> ...]`: checks what would be applied, without a cluster. */
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { OVERLAYS, renderDeployment } from './deployment.ts'
import { problemsOf, RULES } from './rules/index.ts'

const given = process.argv.slice(2).map((folder) => resolve(folder))
const folders = given.length > 0 ? given : readdirSync(OVERLAYS).map((name) => join(OVERLAYS, name))

for (const folder of folders) {
  const objects = renderDeployment(folder)
  const problems = problemsOf(objects)
  const kinds = new Set(objects.map(({ kind }) => kind)).size
  console.log(`${basename(folder)}: ${objects.length} objects of ${kinds} kinds, ${problems.length} problems`)
  for (const { rule, problem } of problems) console.error(`  - ${problem} (${rule})`)
  if (problems.length > 0 || objects.length === 0) process.exitCode = 1
}
console.log(['Rules:', ...Object.keys(RULES)].join('\n  - '))
