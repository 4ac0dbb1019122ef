import { type ReactNode, createContext, useContext } from 'react'
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import { useData } from '../app/bridge.ts'
import { classes } from '../ui/classes.ts'
import { type ConfirmOptions, confirm } from '../ui/dialog.tsx'
import { Dot, Row, Stack, Text } from '../ui/layout.tsx'
import styles from './network.module.css'

/** Returns a network by its id. A removed network is represented by its id, so that its data stays readable. */
export function useNetwork(id: NetworkId): Network {
  const known = useData('network.list').data?.networks.find((network) => network.id === id)
  return known ?? removed(id)
}

const removed = (id: NetworkId): Network => ({
  id,
  kind: 'custom',
  name: `${id} (removed)`,
  urls: null,
  testOnly: false,
  secrets: { api: null, invoices: null },
  explorer: null,
  problem: 'This network was removed.',
})

/** Shows the network's name in its color. */
export function NetworkTag({ id }: { id: NetworkId }) {
  const { kind, name } = useNetwork(id)
  return (
    <span className={classes(styles[kind], styles['tag'])} title={name}>
      <Dot />
      <Text over="cut">{name}</Text>
    </span>
  )
}

/** Shows the network of an action beside its button, with a warning if coins are real. */
export function TargetNetwork({ network }: { network: Network }) {
  const { id, name } = network
  if (!hasRealValue(network)) {
    return (
      <Row as="span" gap="xs">
        on <NetworkTag id={id} />
      </Row>
    )
  }
  return (
    <span className={classes(styles[network.kind], styles['stakes'])}>on {name}: real coins</span>
  )
}

/** Shows a dot in the color of a network, before its name. */
export function NetworkDot({ kind }: { kind: Network['kind'] }) {
  return (
    <span className={classes(styles[kind], styles['coloured'])}>
      <Dot />
    </span>
  )
}

/** Asks the user to confirm an action at a gateway, and shows the network in its color. */
export function confirmOn(
  network: Network,
  {
    points = [],
    stakes,
    ...options
  }: ConfirmOptions & {
    /** The consequences of the action, one sentence each. */
    points?: readonly string[]
    /** The possible loss on this network, which replaces the sentence about deliveries. */
    stakes?: string
  },
): Promise<boolean> {
  return confirm({
    ...options,
    detail: (
      <Stack>
        <NetworkStakes network={network} text={stakes} />
        {points.length > 0 && (
          <ul className={styles['points']}>
            {points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        )}
        <div>{options.detail}</div>
      </Stack>
    ),
  })
}

/** True if actions on the network have real effects: no reset undoes them, and coins have a value. */
export const hasRealValue = ({ kind, testOnly }: Network): boolean =>
  kind !== 'sandbox' && !testOnly

/** Shows the network of an action and the consequences there. */
export function NetworkStakes({ network, text }: { network: Network; text?: string | undefined }) {
  return (
    <p className={classes(styles[network.kind], styles['stakes'])}>{text ?? stakesOf(network)}</p>
  )
}

function stakesOf({ kind, name, testOnly }: Network): string {
  if (kind === 'sandbox') return 'This is the sandbox on this computer.'
  return testOnly ? `This is ${name}.` : `This is ${name}: its deliveries report real payments.`
}

const Shown = createContext<Network | null>(null)

/** Links and addresses inside the component belong to this network. */
export function OfNetwork({ network, children }: { network: Network; children: ReactNode }) {
  return <Shown value={network}>{children}</Shown>
}

/** Returns the network of the displayed content: the passed one, else that of `OfNetwork`. */
export function useShownNetwork(passed?: Network): Network {
  const around = useContext(Shown)
  const network = passed ?? around
  if (network === null) throw new Error('There is no <OfNetwork> around this component.')
  return network
}
