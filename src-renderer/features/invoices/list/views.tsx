/** Filters that the user saved under a name, for every network. */
import type { InvoiceView } from '../../../../src-preload/contract/invoice.ts'
import { request } from '../../../app/bridge.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { createSavedViews } from '../../../components/list/saved-views.tsx'
import { changeQuery } from './invoice-list.tsx'
import { filterOf, isSameQuery, queryOf } from './invoice-query.ts'

const SavedViews = createSavedViews<InvoiceView, InvoicesQuery>({
  routes: 'invoiceView',
  thing: 'view',
  contentOf: queryOf,
  isSame: isSameQuery,
  save: (name, query, id) =>
    request('invoiceView.save', { id, name, filter: filterOf(query), sort: query.sort }),
  onShow: changeQuery,
})

export function ViewsMenu({ query }: { query: InvoicesQuery }) {
  return (
    <SavedViews
      kind="quiet"
      content={query}
      detail={() =>
        'A view stores the filters and the order of the list. Views are available on every network.'
      }
    />
  )
}
