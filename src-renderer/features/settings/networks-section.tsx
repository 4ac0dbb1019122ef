import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { networks } from '../../app/networks.ts'
import { KeychainState } from './keychain-state.tsx'
import { NetworkEntry } from './network-entry.tsx'
import { NetworkForm } from './network-form.tsx'
import { Section } from './section.tsx'
import styles from './section.module.css'

export function NetworksSection() {
  const state = useResource(networks)
  const { isOpen: adding, setOpen: setAdding, button } = useOpener()
  return (
    <Section
      id="networks"
      detail="One key opens the query and the webhooks API of a network, one token its invoices. A key goes in and never comes out again: only its last four characters are shown. It is sent to the addresses of its own network and to nobody else."
    >
      <KeychainState what="Keys" />
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={4} />}
      {state.status === 'failed' && (
        <FailedState
          what="The networks could not be listed"
          why={state.error.message}
          onRetry={() => void networks.reload()}
        />
      )}
      {state.status === 'ready' &&
        state.value.networks.map((network) => (
          <NetworkEntry
            key={network.id}
            network={network}
            isCurrent={network.id === state.value.current}
          />
        ))}
      {adding ? (
        <NetworkForm network={null} onDone={() => setAdding(false)} />
      ) : (
        <div className={styles['line']}>
          <Button ref={button} icon="plus" onClick={() => setAdding(true)}>
            Add a network
          </Button>
        </div>
      )}
    </Section>
  )
}
