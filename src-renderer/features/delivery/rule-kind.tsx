/**
 * The parts that forwarding rules and response rules have in common: their page, their form and the
 * actions on a rule.
 */
import type { ComponentType, ReactNode } from 'react'
import { create } from 'zustand'
import type { ResponseRule } from '../../../src-preload/contract/response-rule.ts'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import { attempt, confirmAndRun, reload, request, useData } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/form.tsx'
import { formatCount } from '../../ui/format.ts'
import { Kbd, Pane, Row, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { announce, showToast } from '../../ui/toast.tsx'

type RuleKind<V extends object> = {
  readonly routes: 'forwardRule' | 'responseRule'
  /** The values with which the form of a new rule begins. */
  readonly newRule: V
}

export function createRules<R extends ForwardRule | ResponseRule, V extends object>({
  routes,
  newRule,
}: RuleKind<V>) {
  const list = `${routes}.list` as const
  const useEdited = create<{ readonly rule: V | null }>(() => ({ rule: null }))

  /** Opens the form for a new rule or for an existing one. */
  const open = (known: Partial<V> = {}) => useEdited.setState({ rule: { ...newRule, ...known } })
  const close = () => useEdited.setState({ rule: null })

  async function setEnabled({ id }: R, enabled: boolean): Promise<void> {
    const word = enabled ? 'on' : 'off'
    const changed = await attempt<object>(`Could not turn the rule ${word}`, () =>
      request(`${routes}.setEnabled`, { id, enabled }),
    )
    if (changed === undefined) return
    reload(list)
    announce(`The rule is ${word}`)
  }

  /** Removes a rule after a question. @returns true if the rule was removed */
  async function remove({ id }: R, question: { title: string; detail: string }): Promise<boolean> {
    const gone = await confirmAndRun<object>({
      ...question,
      action: 'Remove rule',
      failure: 'Could not remove the rule',
      run: () => request(`${routes}.remove`, { id }),
    })
    if (gone === undefined) return false
    reload(list)
    showToast({ title: 'Rule removed' })
    return true
  }

  type ViewProps = {
    empty: ReactNode
    Form: ComponentType<{ initial: V }>
    children: (rules: readonly R[]) => ReactNode
  }

  /** Shows the rules, or their purpose if there are none, and the form if it is open. */
  function View({ empty, Form, children }: ViewProps) {
    const query = useData(list)
    const { rule } = useEdited()
    return (
      <>
        <Loaded query={query} of="the rules">
          {(rules) =>
            // The routes of this kind return rules of this kind, which the union type of both kinds
            // cannot express.
            rules.length === 0 ? empty : <Pane>{children(rules as readonly unknown[] as R[])}</Pane>
          }
        </Loaded>
        {rule !== null && <Form initial={rule} />}
      </>
    )
  }

  type BarProps = { rules: readonly R[]; about: ReactNode; beside?: ReactNode }

  /** The bar above the list: the number of rules, a remark about them, and a button for a new rule. */
  function Bar({ rules, about, beside }: BarProps) {
    return (
      <Row pad="m" line="below">
        <Text as="h2" size="m" over="nowrap">
          {formatCount(rules.length, 'rule')}
        </Text>
        {about}
        <Row last gap="xs">
          {beside}
          <Button icon="plus" kind="main" onClick={() => open()}>
            New rule <Kbd>n</Kbd>
          </Button>
        </Row>
      </Row>
    )
  }

  function RuleSwitch({ rule, label }: { rule: R; label: string }) {
    return (
      <Switch
        hideLabel
        label={label}
        checked={rule.enabled}
        onChange={(enabled) => void setEnabled(rule, enabled)}
      />
    )
  }

  return { open, close, remove, View, Bar, RuleSwitch }
}

/** Explains why a rule applies to no capture, or to fewer captures than its filter selects. */
export function RuleProblems({
  rule: { problem, conflicts },
}: {
  rule: ForwardRule | ResponseRule
}) {
  return (
    <>
      {problem !== null && (
        <Text as="p" tone="bad" size="s">
          {problem}
        </Text>
      )}
      {conflicts.map((conflict) => (
        <Text as="p" key={conflict} tone="warn" size="s">
          {conflict}
        </Text>
      ))}
    </>
  )
}
