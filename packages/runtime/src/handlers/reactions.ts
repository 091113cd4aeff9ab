import type { BusServiceName } from '@quittance/contracts/services'
import type { RegisteredReaction } from '../database/database.ts'
import type { ReactionPoint, Transaction } from './handler.ts'

/** One effect. Its errors roll back the transaction. */
export type ReactionStep<Payload> = (context: Transaction, payload: Payload) => Promise<void> | void

/** The steps of one point, in the order in which they run. */
export interface Reaction {
  point: ReactionPoint<never>
  steps: readonly ReactionStep<never>[]
}

/** All declared points, to find those without a reaction. */
const declared: ReactionPoint<never>[] = []

/** Declares a point in the layer that raises it. The name starts with the service: `orders.customer.deleted`. */
export function reactionPoint<Payload>(name: `${BusServiceName}.${string}`): ReactionPoint<Payload> {
  const point: ReactionPoint<Payload> = { name }
  declared.push(point as ReactionPoint<never>)
  return point
}

/** Lists the steps of a point. */
export function on<Payload>(point: ReactionPoint<Payload>, steps: readonly ReactionStep<Payload>[]): Reaction {
  return { point: point as ReactionPoint<never>, steps }
}

/** Throws unless every declared point of the service has exactly one entry. */
export function assertReactionsComplete(service: BusServiceName, reactions: readonly Reaction[]): void {
  const points = new Set([...declared.filter(({ name }) => name.startsWith(`${service}.`)), ...reactions.map(({ point }) => point)])
  for (const point of points) {
    const entries = reactions.filter((reaction) => reaction.point === point).length
    if (entries !== 1) throw new Error(`Reaction point ${point.name} has ${entries} entries instead of one`)
  }
}

/** Awaits the steps of a point in their order. */
export async function runReaction<Payload>(
  reactions: readonly RegisteredReaction[],
  { point, payload, context }: { point: ReactionPoint<Payload>; payload: Payload; context: Transaction },
): Promise<void> {
  const reaction = reactions.find((each) => each.point === point)
  if (!reaction) throw new Error(`Reaction point ${point.name} has no entry`)
  for (const step of reaction.steps as readonly ReactionStep<Payload>[]) await step(context, payload)
}
