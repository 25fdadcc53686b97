import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scanStream } from './scan-stream.ts'
import { engineFiles } from './sources.ts'

test('a file that the database removes between the listing and the reading is empty', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'card-scan-'))
  try {
    mkdirSync(join(dataDir, 'postgres'))
    const file = join(dataDir, 'postgres', 'pg_internal.init')
    writeFileSync(file, 'x'.repeat(100))
    const [source] = await engineFiles(dataDir)
    rmSync(file)
    expect(await scanStream(source?.open() ?? [], 'issued')).toEqual({ bytes: 0, findings: [] })
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
