import type { GatewayTraffic } from '../../../src-preload/contract/traffic.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { RecentRequests } from './diagnostics/recent-requests.tsx'
import { RootsTable } from './diagnostics/roots-table.tsx'
import { traffic, useTraffic } from './diagnostics/traffic.ts'
import { type NetworkName, trafficText } from './diagnostics/words.ts'
import { networks } from '../../app/networks.ts'
import { Section } from './section.tsx'
import styles from './section.module.css'

export function DiagnosticsSection() {
  const state = useTraffic()
  const known = valueOf(useResource(networks))?.networks ?? []
  const name: NetworkName = (id) => known.find((network) => network.id === id)?.name ?? id
  return (
    <Section
      id="diagnostics"
      detail="What was asked of gateways since Tondesk started, each try counted. Keys, bodies and the values of queries are not kept."
    >
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={3} />}
      {state.status === 'failed' && (
        <FailedState
          what="The figures could not be read"
          why={state.error.message}
          onRetry={() => void traffic.reload()}
        />
      )}
      {state.status === 'ready' && <Figures value={state.value} name={name} />}
    </Section>
  )
}

function Figures({ value, name }: { value: GatewayTraffic; name: NetworkName }) {
  const isUnused = value.roots.every(
    ({ requests, underWay, waiting }) =>
      requests + underWay + waiting.interactive + waiting.job === 0,
  )
  if (isUnused) {
    return (
      <p className={styles['detail']}>
        Nothing has been asked yet. Open an account or a transaction, and each request is listed
        here.
      </p>
    )
  }
  return (
    <>
      <RootsTable roots={value.roots} name={name} />
      {value.recent.length > 0 && <RecentRequests recent={value.recent} name={name} />}
      <div className={styles['line']}>
        <CopyButton text={trafficText(value, name)} what="Figures" label="Copy as text" />
      </div>
    </>
  )
}
