import { referenceFrom } from './create-payments.ts'

test('a reference holds no run of digits that could pass for a card number', () => {
  expect(referenceFrom(Buffer.alloc(10, 0x41))).toBe('SIM41414141A14141414A41')
  expect(referenceFrom(Buffer.alloc(32, 0xab))).toBe('SIMABABABABABABABABABAB')
})
