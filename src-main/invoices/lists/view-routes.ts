import type { Handlers } from '../../../src-preload/contract/routes.ts'
import {
  type InvoiceView,
  invoiceFilter,
  invoiceSort,
} from '../../../src-preload/contract/invoice.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoiceViews, StoredView } from '../store/invoice-views.ts'

type Routes = Pick<Handlers, 'invoiceView.list' | 'invoiceView.save' | 'invoiceView.remove'>

type ViewRouteDeps = {
  readonly views: InvoiceViews
  readonly onChanged: () => void
}

/** Filters that a person has given a name; they hold for every network. */
export function createViewRoutes({ views, onChanged }: ViewRouteDeps): Routes {
  return {
    'invoiceView.list': () => views.all().map(toView),
    'invoiceView.save'({ id, name, filter, sort }) {
      const stored = { name, filter: JSON.stringify(filter), sort: JSON.stringify(sort) }
      if (id !== null && !views.replace({ id, ...stored })) throw unknownView()
      const view = { id: id ?? views.add(stored), name, filter, sort }
      onChanged()
      return view
    },
    'invoiceView.remove'({ id }) {
      if (!views.remove(id)) throw unknownView()
      onChanged()
      return {}
    },
  }
}

/** What another version has written and this one cannot read is left out of the filter. */
function toView({ id, name, filter, sort }: StoredView): InvoiceView {
  return {
    id,
    name,
    filter: invoiceFilter.catch(invoiceFilter.parse({})).parse(JSON.parse(filter)),
    sort: invoiceSort.catch(invoiceSort.parse({})).parse(JSON.parse(sort)),
  }
}

function unknownView(): AppError {
  return new AppError(invoiceCodes.viewUnknown, 'This view is not there any more.')
}
