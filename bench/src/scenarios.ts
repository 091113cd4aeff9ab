import type { Scenario } from './scenario.ts'
import { invoice } from './scenarios/invoice.ts'
import { readOrder } from './scenarios/read-order.ts'

export const scenarios = { 'read-order': readOrder, invoice } satisfies Record<string, Scenario>
export type ScenarioName = keyof typeof scenarios
export const scenarioNames = Object.keys(scenarios) as ScenarioName[]
