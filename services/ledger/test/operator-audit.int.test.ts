import { auditEntryRequest, type AuditRecord } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { SERVICE_TOKEN, startFixture, type Fixture } from './fixture.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

/** What the ledger appends to the audit, which auth-token keeps. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterEach(() => {
  fixture.audit.answer(() => ({ status: 204 }))
})
afterAll(() => fixture.stop())

const FILES = '/operator/v1/settlement-files'
const CSV = { 'content-type': 'text/csv' }
const TEXT = fileOf(lineOf(anEntry('AUDITED')))
const upload = () => fixture.operator<{ data: { file: { id: string } } }>('POST', FILES, TEXT, CSV)
const written = (): string[] =>
  fixture.audit.requests.map(({ body }) => {
    const { who, action, target, outcome } = body as AuditRecord
    return `${who} ${action} ${target} ${outcome}`
  })
const called = (what: string, outcome: string) => [`asha operator.call ${what} asked`, `asha operator.call ${what} ${outcome}`]

// Proves: access/operators-have-names
test('each call of an operator is in the audit before it acts, under the operator’s name', async () => {
  const { status, body } = await upload()
  expect(status).toBe(202)
  const { id } = body.data.file
  expect((await fixture.operator('GET', `${FILES}/${id}/differences?class=duplicate`)).status).toBe(200)
  expect((await fixture.operator('GET', FILES)).status).toBe(200)
  const resolve = '/operator/v1/differences/bm9uZQ/resolve'
  expect((await fixture.operator('POST', resolve, { note: 'asked the bank' })).status).toBe(404)
  // Longer than what the audit takes.
  expect((await fixture.operator('GET', `${FILES}/${'x'.repeat(400)}`)).status).toBe(404)
  const long = `GET ${FILES}/${'x'.repeat(400)}`.slice(0, 256)
  const expected = [
    ...[...called(`POST ${FILES}`, 'done'), ...called(`GET ${FILES}/${id}/differences`, 'done')],
    ...called(`GET ${FILES}`, 'done'),
    ...[...called(`POST ${resolve}`, 'refused'), ...called(long, 'refused')],
  ]
  await eventually(() => expect(written().toSorted()).toEqual(expected.toSorted()))
  for (const { path, headers, body: entry } of fixture.audit.requests) {
    expect(path).toBe('/internal/v1/audit')
    expect(headers).toMatchObject({ authorization: `Bearer ${SERVICE_TOKEN}` })
    expect(auditEntryRequest(entry)).toBe(true)
  }
  // No caller without a token of an operator gets into the audit.
  const before = written().length
  expect((await fetch(`${fixture.operatorUrl}${FILES}/${id}`)).status).toBe(401)
  expect(written()).toHaveLength(before)
})

// Proves: access/no-change-without-audit
test('while the audit cannot be written, no file is taken and no difference resolved', async () => {
  fixture.audit.answer(() => ({ status: 500 }))
  const files = fixture.paymentStatus.sandbox.client.db(fixture.config.database).collection('settlement_files')
  const before = await files.countDocuments()
  const refused = await fixture.operator('POST', FILES, fileOf(lineOf(anEntry('UNAUDITED'))), CSV)
  expect(refused).toMatchObject({ status: 503, body: { code: 'audit_unavailable' } })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect(await fixture.operator('POST', '/operator/v1/differences/bm9uZQ/resolve', { note: 'x' })).toMatchObject({ status: 503 })
  expect(await files.countDocuments()).toBe(before)
})
