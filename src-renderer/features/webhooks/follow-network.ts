import { navigate, useRoute } from '../../app/route.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { networks } from '../../app/networks.ts'

/** A webhook is of one network: when another is chosen, its list stands where the webhook was. */
export function startFollowingWebhooks(): () => void {
  let before: string | null = null
  return networks.store.subscribe((state) => {
    if (state.status !== 'ready') return
    const former = before
    before = state.value.current
    const { route } = useRoute.getState()
    if (former === null || former === before || route.page !== 'webhooks') return
    // A link of a third network stays what it is; so does one that was waiting for this switch.
    if ((route.network ?? former) !== former) return
    if (route.view === 'webhook') navigate(webhooksHome)
    else if (route.network !== null) navigate({ ...route, network: before }, { replace: true })
  })
}
