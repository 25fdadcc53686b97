/** A dependency of a service. A service stays ready, as `degraded`, while a dependency that is not critical is down. */
export interface HealthCheck {
  readonly name: string
  readonly critical: boolean
  /** True when the dependency can be used now. An error or no answer in time counts as down. */
  isUp(): boolean | Promise<boolean>
}
