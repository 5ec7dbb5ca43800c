// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search by levels: masks of the frontier, and a flag that says whether anything is left.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 7

//Structure to hold a node information
struct Node
{
	int starting;
	int no_of_edges;
};

int no_of_nodes;
int edge_list_size;

void BFSGraph(int argc, char** argv);
int check(const Node *nodes, const int *edges, const int *cost);

static unsigned lcg(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

int main(int argc, char** argv)
{
	BFSGraph(argc, argv);
}

//Apply BFS on a Graph
void BFSGraph(int argc, char** argv)
{
	no_of_nodes = argc > 1 ? atoi(argv[1]) : 1500;
	unsigned state = SEED;

	// allocate host memory
	#pragma ompx managed(h_graph_nodes)
	Node* h_graph_nodes = (Node*) malloc(sizeof(Node)*no_of_nodes);
	#pragma ompx managed(h_graph_mask)
	bool *h_graph_mask = (bool*) malloc(sizeof(bool)*no_of_nodes);
	#pragma ompx managed(h_updating_graph_mask)
	bool *h_updating_graph_mask = (bool*) malloc(sizeof(bool)*no_of_nodes);
	#pragma ompx managed(h_graph_visited)
	bool *h_graph_visited = (bool*) malloc(sizeof(bool)*no_of_nodes);

	int start = 0, edgeno;
	// initalize the memory
	for( unsigned int i = 0; i < no_of_nodes; i++)
	{
		edgeno = 1 + lcg(&state) % 4;
		h_graph_nodes[i].starting = start;
		h_graph_nodes[i].no_of_edges = edgeno;
		h_graph_mask[i]=false;
		h_updating_graph_mask[i]=false;
		h_graph_visited[i]=false;
		start += edgeno;
	}
	edge_list_size = start;

	//set the source node as true in the mask
	int source = 0;
	h_graph_mask[source]=true;
	h_graph_visited[source]=true;

	#pragma ompx managed(h_graph_edges)
	int* h_graph_edges = (int*) malloc(sizeof(int)*edge_list_size);
	for(int i=0; i < edge_list_size ; i++)
		h_graph_edges[i] = lcg(&state) % no_of_nodes;

	// allocate mem for the result on host side
	#pragma ompx managed(h_cost)
	int* h_cost = (int*) malloc( sizeof(int)*no_of_nodes);
	for(int i=0;i<no_of_nodes;i++)
		h_cost[i]=-1;
	h_cost[source]=0;

	int k=0;
	bool stop;
	do
	{
		//if no thread changes this value then the loop stops
		stop=false;

		#pragma omp parallel for
		for(int tid = 0; tid < no_of_nodes; tid++ )
		{
			if (h_graph_mask[tid] == true){
				h_graph_mask[tid]=false;
				for(int i=h_graph_nodes[tid].starting; i<(h_graph_nodes[tid].no_of_edges + h_graph_nodes[tid].starting); i++)
				{
					int id = h_graph_edges[i];
					if(!h_graph_visited[id])
					{
						h_cost[id]=h_cost[tid]+1;
						h_updating_graph_mask[id]=true;
					}
				}
			}
		}

		#pragma omp parallel for
		for(int tid=0; tid< no_of_nodes ; tid++ )
		{
			if (h_updating_graph_mask[tid] == true){
				h_graph_mask[tid]=true;
				h_graph_visited[tid]=true;
				stop=true;
				h_updating_graph_mask[tid]=false;
			}
		}
		k++;
	}
	while(stop);

	int reached = 0;
	long sum = 0;
	for(int i=0;i<no_of_nodes;i++)
	{
		reached += h_cost[i] >= 0;
		sum += h_cost[i];
		if (i % 150 == 0) printf("%d) cost:%d\n",i,h_cost[i]);
	}
	printf("%d levels, %d nodes reached, sum %ld\n", k, reached, sum);
	int wrong = check(h_graph_nodes, h_graph_edges, h_cost);
	printf("%s\n", wrong ? "WRONG" : "every edge fits");

	// cleanup memory
	free( h_graph_nodes);
	free( h_graph_edges);
	free( h_graph_mask);
	free( h_updating_graph_mask);
	free( h_graph_visited);
	free( h_cost);
	if (wrong) exit(1);
}

// No edge may skip a level, and every reached node but the source has a parent one level above.
int check(const Node *nodes, const int *edges, const int *cost)
{
	int wrong = 0;
	bool *has_parent = (bool*) calloc(no_of_nodes, sizeof(bool));
	for (int i = 0; i < no_of_nodes; i++)
		for (int e = nodes[i].starting; e < nodes[i].starting + nodes[i].no_of_edges; e++)
		{
			if (cost[i] >= 0 && (cost[edges[e]] < 0 || cost[edges[e]] > cost[i] + 1)) wrong++;
			if (cost[i] >= 0 && cost[edges[e]] == cost[i] + 1) has_parent[edges[e]] = true;
		}
	for (int i = 1; i < no_of_nodes; i++)
		if (cost[i] >= 0 && !has_parent[i]) wrong++;
	free(has_parent);
	return wrong;
}
