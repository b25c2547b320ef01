package main

import (
	"fmt"
	x "os/exec"
)

// Runs.
func main() {
	x.Command("ls").Run()
	fmt.Println(`a`)
}
