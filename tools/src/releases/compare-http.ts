import type { HttpBinding } from '@quittance/contracts/operation'

/** Describes the effects of a changed HTTP binding on clients of a release; one sentence each. */
export function compareHttp(before: HttpBinding | null, after: HttpBinding | null, version: string): string[] {
  if (!before) return []
  if (!after) return [`it is no longer available over HTTP, and clients of ${version} call it there.`]
  return [
    ...(before.method === after.method && before.path === after.path
      ? []
      : [`it is ${after.method} ${after.path} now, and clients of ${version} use the old address.`]),
    ...(before.status === after.status
      ? []
      : [`success is ${after.status} instead of ${before.status}, which clients of ${version} expect.`]),
    ...lost(before.callers, after.callers).map((kind) => `callers of kind ${kind} are rejected now, and were accepted by ${version}.`),
    ...compareScopes(before, after, version),
    ...(before.document?.contentType === after.document?.contentType
      ? []
      : [`it returns ${after.document?.contentType ?? 'JSON'} instead of ${before.document?.contentType ?? 'JSON'}.`]),
  ]
}

/** Compares scopes: any one scope of the list is sufficient; an empty list requires none. */
function compareScopes({ scopes: before }: HttpBinding, { scopes: after }: HttpBinding, version: string): string[] {
  if (after.length === 0) return []
  if (before.length === 0) return [`it asks for ${after.join(' or ')} now, and tokens of ${version} needed no scope.`]
  return lost(before, after).map((scope) => `the scope ${scope} does not open it any more, and tokens of ${version} have just that.`)
}

function lost<Item>(before: readonly Item[], after: readonly Item[]): Item[] {
  return before.filter((each) => !after.includes(each))
}
