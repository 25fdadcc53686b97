import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { formatSigningSecret, readSigningSecret, sign } from '@gateway/contracts'

/** The code that merchants copy out of the documentation, run. */
const documentation = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
const sampleIn = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'su').exec(documentation)?.[1] ?? ''

const secret = formatSigningSecret(Buffer.alloc(32, 7))
const other = formatSigningSecret(Buffer.alloc(32, 8))
const body = '{"merchantTxnId":"ORD-1","note":"₹ हिन्दी"}'
const seconds = Math.floor(Date.now() / 1000)

function headers(keys: readonly string[], atSeconds = seconds) {
  const signature = sign('01J.2', atSeconds, body, keys.map(readSigningSecret))
  return { 'webhook-id': '01J.2', 'webhook-timestamp': String(atSeconds), 'webhook-signature': signature }
}

const withHeader = (name: string, value: string | undefined) => ({
  ...{ secret, body },
  headers: { ...headers([secret]), [`webhook-${name}`]: value },
})

const RUN = {
  js: {
    command: [process.execPath, '--input-type=module', '-e'],
    calls: 'const g = JSON.parse(process.argv[1]); console.log(verify(g.secret, g.headers, Buffer.from(g.body)).merchantTxnId)',
  },
  python: {
    command: ['python3', '-c'],
    calls:
      'import sys; g = json.loads(sys.argv[1]); print(verify(g["secret"], g["headers"], g["body"].encode())["merchantTxnId"])',
  },
} as const

function run(language: keyof typeof RUN, given: object) {
  const { command, calls } = RUN[language]
  const [program, ...rest] = command
  const env = { ...process.env, NODE_OPTIONS: '' }
  return spawnSync(program, [...rest, `${sampleIn(language)}\n${calls}`, JSON.stringify(given)], { encoding: 'utf8', env })
}

describe.each(['js', 'python'] as const)('the sample in %s', (language) => {
  // Proves: webhooks/code-documentation-shows
  test.each([
    ['a genuine webhook', { secret, headers: headers([secret]), body }],
    ['one that is signed with two secrets while they rotate', { secret, headers: headers([other, secret]), body }],
  ])('accepts %s', (_what, given) => {
    const { stdout, stderr } = run(language, given)
    expect([stdout.trim(), stderr]).toEqual(['ORD-1', ''])
  })

  // Proves: webhooks/code-documentation-shows
  test.each([
    ['another secret', { secret: other, headers: headers([secret]), body }, 'not genuine'],
    ['another body', { secret, headers: headers([secret]), body: body.replace('1', '2') }, 'not genuine'],
    ['another id', { secret, headers: { ...headers([secret]), 'webhook-id': '01J.3' }, body }, 'not genuine'],
    ['a signature outside ASCII', withHeader('signature', 'v1,é₹हि'), 'not genuine'],
    ['a signature that is no base64', withHeader('signature', 'v1,!!! v1 v1,,, v2,AAAA'), 'not genuine'],
    ['an empty signature', withHeader('signature', ''), 'not genuine'],
    ['no signature', withHeader('signature', undefined), 'not genuine'],
    ['no id', withHeader('id', undefined), 'not genuine'],
    ['no timestamp', withHeader('timestamp', undefined), 'too old'],
    ['a timestamp that is no number', withHeader('timestamp', 'yesterday'), 'too old'],
    ['a superscript as the timestamp', withHeader('timestamp', '²'), 'too old'],
    ['an endless timestamp', withHeader('timestamp', '9'.repeat(5000)), 'too old'],
    ['one that is too old', { secret, headers: headers([secret], seconds - 301), body }, 'too old'],
  ])('refuses %s', (_what, given, why) => {
    const { status, stdout, stderr } = run(language, given)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^(?:Value)?Error: ${why}$`, 'mu'))
  })
})
