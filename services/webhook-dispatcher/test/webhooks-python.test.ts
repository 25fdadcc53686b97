import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureWebhooksPython } from './webhooks-python.ts'

test.each(['a-python-that-is-not-there', process.execPath])('without a Python (%s) it says what is missing', async (python3) => {
  const directory = mkdtempSync(join(tmpdir(), 'python-'))
  try {
    const found = await ensureWebhooksPython({ python3, directory })
    expect(found).toEqual({ missing: 'no python3 with venv and pip' })
  } finally {
    rmSync(directory, { recursive: true })
  }
})
