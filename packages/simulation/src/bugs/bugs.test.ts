import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { BUGS } from './bugs.ts'

// Proves: faults/simulation-finds-planted-bugs
test.each(BUGS.map(({ number, title, changes }) => ({ number, title, changes })))(
  'the text of bug $number is in the code: $title',
  ({ changes }) => {
    for (const { file, from } of changes) expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2)
  },
)
