/** `npm run sdk:types`: writes the types and the operations of the SDK from the schemas of the gateway. */
import { writeFileSync } from 'node:fs'
import { WRITTEN } from './written.ts'

for (const [path, text] of Object.entries(WRITTEN)) writeFileSync(new URL(`../src/generated/${path}`, import.meta.url), text())
