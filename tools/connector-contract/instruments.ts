import type { Instruments } from './check.ts'

/** What succeeds at the simulator at once. */
export const SIMULATOR_INSTRUMENTS: Instruments = instruments({ vpa: 'success@sandbox', card: '4242424242424242', bank: 'PASS' })

export function instruments({ vpa, card, bank }: { vpa: string; card: string; bank: string }): Instruments {
  return {
    upi: { upi: { vpa } },
    credit_card: { card: { number: card, expiry_month: '12', expiry_year: '2035', cvv: '123', name: 'Contract Check' } },
    netbanking: { netbanking: { bank } },
  }
}
