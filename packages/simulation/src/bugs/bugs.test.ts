import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { BUGS } from './bugs.ts'

// Proves: faults/simulation-finds-planted-bugs
test.each(BUGS)('the text of bug $number is in the code: $title', ({ file, from }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2)
})
