import type { TransactionView } from '@gateway/contracts'

function intentOf(id: string): string {
  return `upi://pay?pa=shop@sandbox&pn=Asha%20%26%20Sons&mc=5411&tr=${id}&am=123456.00&cu=INR&tn=Blue%20shirt`
}

/** A view of an order that can be paid by every method. */
export function aView(id: string, fields: Partial<TransactionView> = {}): TransactionView {
  const now = Date.now()
  return {
    id,
    order_id: 'ORD-1001',
    merchant: { id: 'M1', name: 'Asha & Sons' },
    status: 'Initiate',
    amount: '123456.00',
    currency: 'INR',
    description: 'Blue shirt',
    methods: ['upi', 'card', 'netbanking'],
    method: null,
    rrn: null,
    failure_reason: null,
    attempts: [],
    attempts_left: 1,
    payable: true,
    closing: null,
    return_url: 'https://shop.example/back?cart=7',
    sequence: 1,
    version: 1,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 1_200_000).toISOString(),
    checkout: { url: '', intent: intentOf(id) },
    ...fields,
  }
}
