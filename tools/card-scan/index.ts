export { reportLines, scanStack, type ScannedSource } from './scan-stack.ts'
