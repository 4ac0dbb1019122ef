/** The common parts of forwarding rules and response rules: their page, their form and the actions on one. */
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
  /** The values of the form of a new rule. */
  readonly newRule: V
}

export function createRules<R extends ForwardRule | ResponseRule, V extends object>({
  routes,
  newRule,
}: RuleKind<V>) {
  const list = `${routes}.list` as const
  const useEdited = create<{ readonly rule: V | null }>(() => ({ rule: null }))

  /** Opens the form with a rule, or with a new one. */
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

  /** Removes a rule after a question. @returns whether it is removed */
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

  /** The rules, or what they are for while there are none; with the form that is open. */
  function View({ empty, Form, children }: ViewProps) {
    const query = useData(list)
    const { rule } = useEdited()
    return (
      <>
        <Loaded query={query} of="the rules">
          {(rules) =>
            // The list of these routes has rules of this kind; the union of both cannot say so.
            rules.length === 0 ? empty : <Pane>{children(rules as readonly unknown[] as R[])}</Pane>
          }
        </Loaded>
        {rule !== null && <Form initial={rule} />}
      </>
    )
  }

  type BarProps = { rules: readonly R[]; about: ReactNode; beside?: ReactNode }

  /** Above the list: how many there are, something about them, and a button for a new one. */
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

/** Why a rule applies to no capture, or to fewer than its filter selects. */
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
