/** A dependency of a service. A service stays ready, as `degraded`, while a dependency that is not critical is down. */
export interface HealthCheck {
  readonly name: string
  readonly critical: boolean
  /** True when it can be used now. It may throw or take its time: both count as down. */
  isUp(): boolean | Promise<boolean>
}
