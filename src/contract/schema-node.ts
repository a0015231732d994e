/** What the kernel needs to know about a schema of any library. */
export interface SchemaNode {
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'union' | 'other';
  readonly optional: boolean;
  readonly defaultValue?: unknown;
  readonly description?: string | undefined;
  /** The allowed values of an enumeration. */
  readonly allowed?: readonly string[] | undefined;
  // Functions, because a schema may contain itself.
  readonly item?: () => SchemaNode;
  readonly members?: () => Readonly<Record<string, SchemaNode>>;
  readonly options?: () => readonly SchemaNode[];
}
