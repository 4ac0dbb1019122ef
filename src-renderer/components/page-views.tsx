import { viewsOf } from '../app/frame/pages.ts'
import { routeHref, useRoute } from '../app/route.ts'
import { PageViews } from '../ui/page.tsx'

/** Shows the views of the current page, and the task that is open on it. */
export function ViewBar() {
  const { name, views } = viewsOf(useRoute(({ route }) => route))
  return (
    <PageViews
      label={name}
      views={views.map(({ label, route, shows }) => ({
        href: routeHref(route),
        label,
        current: shows === null ? undefined : shows === 'all' ? 'page' : 'true',
      }))}
    />
  )
}
