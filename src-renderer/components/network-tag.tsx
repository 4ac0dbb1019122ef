import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import { useData } from '../app/queries.ts'
import { Row } from '../ui/layout.tsx'
import { classes } from '../ui/classes.ts'
import text from '../ui/text.module.css'
import colour from './network-colour.module.css'
import { isReal } from './network-confirm.tsx'
import styles from './network-tag.module.css'

/** A network by its id. One that was removed since stands by its id, so that what is of it can be read. */
export function useNetwork(id: NetworkId): Network {
  const known = useData('network.list').data?.networks.find((network) => network.id === id)
  return known ?? removed(id)
}

function removed(id: NetworkId): Network {
  return {
    id,
    kind: 'custom',
    name: `${id} (removed)`,
    urls: null,
    testOnly: false,
    secrets: { api: null, invoices: null },
    explorer: null,
    problem: 'This network was removed.',
  }
}

/** The network's name in its colour. */
export function NetworkTag({ id }: { id: NetworkId }) {
  const { kind, name } = useNetwork(id)
  return (
    <span className={classes(colour[kind], styles['tag'])} title={name}>
      <span className={text['cut']}>{name}</span>
    </span>
  )
}

/** Beside a button: the network on which it acts, with a warning where coins are real. */
export function TargetNetwork({ network }: { network: Network }) {
  const { id, name } = network
  if (!isReal(network)) {
    return (
      <Row as="span" gap="xs">
        on <NetworkTag id={id} />
      </Row>
    )
  }
  return (
    <span className={classes(colour[network.kind], styles['real'])}>on {name}: real coins</span>
  )
}

/** A dot in the colour of a network, in front of its name. */
export function NetworkDot({ kind }: { kind: Network['kind'] }) {
  return <span className={classes(colour[kind], colour['dot'])} />
}
