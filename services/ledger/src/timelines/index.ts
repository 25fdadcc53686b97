export { createTimelineParts } from './clients/timeline-parts.ts'
export { timelineRoute } from './http/timeline-route.ts'
export { makeReadTimeline } from './use-cases/read-timeline.ts'
