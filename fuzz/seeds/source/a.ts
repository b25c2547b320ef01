import { open } from './near';
const x = require('fs');
class A extends B { #p = 1; async *f() { yield open`a${1}b`; } }
export default <T,>(a: T): T => a as T;
