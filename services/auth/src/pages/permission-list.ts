import type { Scope } from '@quittance/contracts/scopes'
import { html, type Html } from '@quittance/pages/html'
import { permissionGroups, type PermissionGroup } from './permission-groups.ts'

/** Lists the requested permissions. Read-only ones are collapsed, unless there are no others. */
export function permissionList(scopes: readonly Scope[]): Html {
  const groups = permissionGroups(scopes)
  const [writing, reading] = [groups.filter(({ isReadOnly }) => !isReadOnly), groups.filter(({ isReadOnly }) => isReadOnly)]
  const count = reading.flatMap(({ permissions }) => permissions).length
  return html`<div class="scopes">
    ${writing.map((group) => html`<div>${renderGroup(group)}</div>`)}
    ${
      reading.length > 0 &&
      html`<details ${writing.length === 0 && html`open`}>
        <summary>${count === 1 ? '1 permission that only reads' : `${count} permissions that only read`}</summary>
        ${reading.map(renderGroup)}
      </details>`
    }
  </div>`
}

function renderGroup({ title, permissions }: PermissionGroup): Html {
  return html`<h3>${title}</h3>
    <ul class="plain">
      ${permissions.map(
        ({ sentence, movesMoney }) => html`<li>${sentence}${movesMoney && html` <span class="mark">Moves money</span>`}</li>`,
      )}
    </ul>`
}
