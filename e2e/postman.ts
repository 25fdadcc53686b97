/**
 * `npm run postman:check`: runs the gateway's Postman collection with newman, as a new merchant, on a running stack. Prints each
 * request with its answer, then JSON. Exits with 1 when a request fails its tests. Downloads newman from the npm registry.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { givenStack, type Stack } from '@gateway-infra/local/stack-file'
import { createMerchant } from '@gateway/testkit'

const NEWMAN = 'newman@6.2.1'

/** The part of newman's JSON report that is used here. */
interface Summary {
  readonly run: {
    readonly stats: { readonly assertions: { readonly total: number } }
    readonly failures: readonly { readonly source?: { readonly name: string }; readonly error: { readonly message: string } }[]
    readonly executions: readonly { readonly item: { readonly name: string }; readonly response?: { readonly code: number } }[]
  }
}

const stack = givenStack()
const folder = mkdtempSync(join(tmpdir(), 'postman-'))
try {
  const { run } = await runCollection(stack, folder)
  for (const { item, response } of run.executions) console.log(`${response?.code ?? 'none'}  ${item.name}`)
  for (const { source, error } of run.failures) console.log(`FAILED  ${source?.name ?? ''}: ${error.message}`)
  const succeeded = run.executions.filter(({ response }) => response !== undefined && response.code < 300).length
  const result = { requests: run.executions.length, succeeded, tests: run.stats.assertions.total, failures: run.failures.length }
  console.log(JSON.stringify(result))
  process.exitCode = run.failures.length === 0 && run.executions.length > 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

async function runCollection(description: Stack, inside: string): Promise<Summary> {
  const { base_url, merchant } = description
  const { key_id, key_secret } = await createMerchant(description.operator, { name: 'Postman Stores' })
  const values = Object.entries({ base_url, key_id, key_secret, webhook_url: merchant.webhook_url })
  const [collection, environment, report] = ['collection', 'environment', 'report'].map((name) => join(inside, `${name}.json`))
  writeFileSync(collection ?? '', await (await fetch(`${base_url}/postman.json`)).text())
  writeFileSync(environment ?? '', JSON.stringify({ values: values.map(([key, value]) => ({ key, value, enabled: true })) }))
  const files = ['--environment', environment ?? '', '--reporters', 'json', '--reporter-json-export', report ?? '']
  const args = ['exec', '--yes', '--silent', `--package=${NEWMAN}`, '--', 'newman', 'run', collection ?? '', ...files]
  const { stderr, error } = spawnSync('npm', args, { cwd: inside, encoding: 'utf8' })
  if (error) throw error
  try {
    return JSON.parse(readFileSync(report ?? '', 'utf8')) as Summary
  } catch (cause) {
    throw new Error(`newman wrote no report: ${stderr}`, { cause })
  }
}
