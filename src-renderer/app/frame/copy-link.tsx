import { CopyButton } from '../../ui/toast.tsx'
import { useCurrentNetwork } from '../networks.ts'
import { useRoute } from '../route.ts'
import { linkToRoute } from './page-link.ts'

/** Copies the link to what the page shows, with its network. */
export function CopyLink() {
  const route = useRoute((state) => state.route)
  const network = useCurrentNetwork()?.id ?? null
  const link = linkToRoute(route, network)
  return link !== null && <CopyButton text={link} what="Link" iconOnly icon="link" kind="quiet" />
}
