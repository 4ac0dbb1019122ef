import type { QueryPart } from '../../../src-preload/contract/capture-query.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { useData } from '../../app/bridge.ts'
import { NetworkDot } from '../../components/network-tag.tsx'
import { Button, Chip, Menu, menuItem } from '../../ui/button.tsx'
import { changeTerm } from './captures-state.ts'

/** The menu that assigns the network of captures. */
export function NetworkMenu({
  label,
  current,
  onChoose,
}: {
  label: string
  /** Undefined if the menu is for several captures. */
  current: NetworkId | null | undefined
  onChoose: (network: NetworkId | null) => void
}) {
  const networks = useData('network.list').data?.networks ?? []
  return (
    <Menu
      align="start"
      trigger={<Button>{label} ▾</Button>}
      items={[
        ...networks.map(({ id, kind, name }) =>
          menuItem(name, { mark: <NetworkDot kind={kind} />, checked: id === current }, () =>
            onChoose(id),
          ),
        ),
        'line' as const,
        menuItem('Detect automatically', {}, () => onChoose(null)),
      ]}
    />
  )
}

/** The menu that limits the query to one network. Captures of an unknown network stay visible. */
export function NetworkFilter({
  parts,
  settle,
}: {
  parts: readonly QueryPart[]
  /** Submits the typed query at once, without the pause after typing. @returns the query */
  settle: () => string
}) {
  const network = useCurrentNetwork()
  if (network === null) return null
  const value = `${network.id},unknown`
  const isOn = parts.some(
    (part) => part.field?.toLowerCase() === 'network' && !part.negated && part.value === value,
  )
  return (
    <Chip
      large
      title={`Show only captures of ${network.name} and captures whose network is unknown`}
      pressed={isOn}
      onPress={() => void changeTerm(settle(), 'network', isOn ? null : value)}
    >
      <NetworkDot kind={network.kind} />
      {network.name} only
    </Chip>
  )
}
