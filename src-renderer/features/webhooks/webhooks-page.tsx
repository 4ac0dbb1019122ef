import { useEffect } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { navigate, printRoute, useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import pane from '../../ui/pane.module.css'
import { PageViews } from '../../ui/page-views.tsx'
import { type WebhooksRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { ChangeStrip } from './changes/changes-tab.tsx'
import { CreateDialog, openCreate } from './create/create-dialog.tsx'
import { DeleteDialog } from './detail/delete-dialog.tsx'
import { FileView } from './file/file-view.tsx'
import { ReadState } from './list/read-state.tsx'
import { ListAndDetail } from './list-and-detail.tsx'
import { MoveDialog } from './move/move-dialog.tsx'
import { readWebhooks, webhooksOf } from './webhooks.ts'

/** The webhooks of the network that is chosen: what they deliver, what fails, and the way to mend it. */
export function WebhooksPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'webhooks') return null
  return (
    <NetworkPage
      title="Webhooks"
      of={route.network}
      home={webhooksHome}
      stay={(name) => `Show the webhooks of ${name}`}
      beside={<Views route={route} />}
      actions={(network) => <Actions network={network} />}
    >
      {(network) => <Desk network={network} route={route} />}
    </NetworkPage>
  )
}

function Desk({ network, route }: { network: Network; route: WebhooksRoute }) {
  // Also once it can be asked again: the sandbox runs, a key was given.
  useEffect(() => void readWebhooks(network.id), [network.id, network.problem])
  useEffect(() => {
    // An id alone says nothing of its network: the link in the bar is to hold both.
    if (route.view === 'webhook' && route.network === null) {
      navigate({ ...route, network: network.id }, { replace: true })
    }
  }, [route, network.id])
  return (
    <div className={pane['pane']}>
      <ChangeStrip network={network.id} />
      {route.view === 'file' ? (
        <FileView network={network} />
      ) : (
        <ListAndDetail network={network} route={route} />
      )}
    </div>
  )
}

function Views({ route: { view } }: { route: WebhooksRoute }) {
  return (
    <PageViews
      label="Webhooks"
      views={[
        {
          href: printRoute(webhooksHome),
          label: 'List',
          current: view === 'home' ? 'page' : view === 'webhook' ? 'true' : undefined,
        },
        {
          href: printRoute({ ...webhooksHome, view: 'file' }),
          label: 'Subscriptions file',
          current: view === 'file' ? 'page' : undefined,
        },
      ]}
    />
  )
}

function Actions({ network }: { network: Network }) {
  const list = valueOf(useResource(webhooksOf(network.id)))
  useShortcuts([{ keys: ['n'], label: 'New webhook', group: 'Webhooks', run: openCreate }])
  return (
    <>
      <ReadState network={network.id} />
      {/* An empty list offers the same at its heart. */}
      <Button
        icon="plus"
        kind={list?.webhooks.length === 0 ? 'plain' : 'main'}
        onClick={openCreate}
      >
        New webhook <Kbd>n</Kbd>
      </Button>
      <CreateDialog network={network} />
      <MoveDialog network={network} />
      <DeleteDialog network={network} />
    </>
  )
}
