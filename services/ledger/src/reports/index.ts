export { createReportSlots } from './http/report-slots.ts'
export { reportsRoute } from './http/reports-route.ts'
export { makeReadMoneyEvents } from './use-cases/read-money-events.ts'
